const PATHS = {
  good: "M3 8.5 6.5 12 13 4.5",
  warning: "M8 2 15 14H1ZM8 6.5v3.5M8 12v.01",
  error: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM5.5 5.5l5 5M10.5 5.5l-5 5",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 7.5V11M8 5v.01",
  idle: "M5 3v10M11 3v10",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11ZM6.5 14h3",
  muted: "M4 11V7a4 4 0 0 1 6.5-3.1M12 7v4l1.5 1.5H6M2 2l12 12",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  auto: "M8 1.5a6.5 6.5 0 1 0 0 13ZM8 1.5a6.5 6.5 0 0 1 0 13",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
} as const;

export type IconName = keyof typeof PATHS;

// Never says anything by itself: text stands beside it.
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
