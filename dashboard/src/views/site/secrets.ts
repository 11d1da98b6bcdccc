import type { SiteSecrets } from "../../api/types";

export interface Entered {
  username: string;
  password: string;
  headers: string; // a line for each, such as "X-Key: value"
  cookies: string; // a line for each, such as "session=value"
}

export const NOTHING: Entered = { username: "", password: "", headers: "", cookies: "" };

/** Return the credentials that a person entered. Throw an Error that names a line which cannot be read. */
export function secretsOf({ username, password, headers, cookies }: Entered): SiteSecrets {
  if (password && !username.trim()) throw new Error("Enter the user that the password belongs to.");
  return {
    headers: pairs(headers, ":", "Enter each header in a line of its own, such as X-Key: value."),
    cookies: pairs(cookies, "=", "Enter each cookie in a line of its own, such as session=value."),
    basic_auth: username.trim() ? { username: username.trim(), password } : null,
  };
}

function pairs(text: string, separator: string, advice: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const place = line.indexOf(separator);
    const name = line.slice(0, place).trim();
    if (place < 0 || !name) throw new Error(`${advice} Line ${index + 1} is different.`); // the line may be secret
    found[name] = line.slice(place + 1).trim();
  }
  return found;
}
