import { Field } from "../../ui/parts";

interface AmountFieldProps {
  label: string;
  hint: string;
  text: string;
  wrong: boolean; // whether the text is not an amount
  onText: (text: string) => void;
}

/** A field for the most that crawls may cost, in dollars. */
export function AmountField({ label, hint, text, wrong, onText }: AmountFieldProps) {
  const error = wrong ? { error: "Enter an amount from 0 to 1,000,000, such as 200 or 12.50." } : {};
  return (
    <Field label={label} hint={hint} {...error}>
      {(control) => (
        <input
          {...control}
          class="input"
          inputMode="decimal"
          placeholder="no limit"
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value.trim())}
        />
      )}
    </Field>
  );
}
