/** The button below a list that loads the next part, if there is one. */
export function More({ more, label = "Show more" }: { more: (() => void) | undefined; label?: string }) {
  if (!more) return null;
  return (
    <div>
      <button type="button" class="button" onClick={more}>
        {label}
      </button>
    </div>
  );
}
