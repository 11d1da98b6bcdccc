import type { Plan } from "../../api/types";
import { Field } from "../../ui/parts";

const PLANS: Readonly<Record<Plan, true>> = {
  free: true,
  starter: true,
  pro: true,
  advanced: true,
  premium: true,
  unlimited: true,
};

export function PlanField({ plan, onPlan }: { plan: Plan; onPlan: (plan: Plan) => void }) {
  return (
    <Field label="Plan" hint="It sets the limits of the tenant.">
      {(control) => (
        <select
          {...control}
          class="input"
          value={plan}
          onChange={({ currentTarget }) => onPlan(currentTarget.value as Plan)}
        >
          {Object.keys(PLANS).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
