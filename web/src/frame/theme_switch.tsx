import { Icon, type IconName } from "../components/icon";
import { setTheme, useTheme, type Theme } from "../data/theme";

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const ICONS: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };
const NAMES: Record<Theme, string> = { auto: "as the system", light: "light", dark: "dark" };

export function ThemeSwitch() {
  const theme = useTheme();
  const label = `Theme: ${NAMES[theme]}. Change to ${NAMES[NEXT[theme]]}`;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => setTheme(NEXT[theme])}
    >
      <Icon name={ICONS[theme]} />
    </button>
  );
}
