import { useState } from "preact/hooks";

/** Something that a person starts, one at a time, and why the last one failed. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  /** Run it. Return whether it succeeded. */
  const run = async (what: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await what();
      return true;
    } catch (problem) {
      setError(problem);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
