export interface SegmentsProps<T extends string> {
  label: string;
  options: readonly (readonly [T, string])[];
  chosen: T;
  onChoose: (option: T) => void;
}

// One of a few.
export function Segments<T extends string>({ label, options, chosen, onChoose }: SegmentsProps<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === chosen}
          onClick={() => onChoose(option)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
