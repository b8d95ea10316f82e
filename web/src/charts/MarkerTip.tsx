import { Icon } from "../components/icon";
import { formatTime } from "../format";
import type { MarkerGroup } from "./markers";

const MOST = 6;

// The events of a marker, beside it.
export function MarkerTip({ group, left }: { group: MarkerGroup; left: number }) {
  const shown = [...group.markers].reverse().slice(0, MOST);
  const more = group.markers.length - shown.length;
  return (
    <div class="chart-tip" style={{ "--at": `${left}px` }}>
      <ul>
        {shown.map(({ time, severity, title, text }) => (
          <li key={`${time} ${title} ${text}`} class={`tone-${severity}`}>
            <Icon name={severity} />
            <span>
              <b>{title}</b> <time>{formatTime(time)}</time>
              {text && <span class="chart-tip-text">{text}</span>}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {more} more</p>}
    </div>
  );
}
