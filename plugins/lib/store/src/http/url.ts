/** Why a text is no address of an HTTP server, or undefined. */
export function urlProblem(setting: string, text: string): string | undefined {
  const example = 'such as https://collector.example.com/samples';
  if (!URL.canParse(text)) return `"${setting}" is not an address: write it with its scheme, ${example}.`;
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `"${setting}" begins with "${protocol}//": it has to begin with http:// or https://, ${example}.`;
  if (username !== '' || password !== '')
    return `"${setting}" has a user name in it: write user and password into their own settings.`;
  return hash === '' ? undefined : `"${setting}" has a "#" in it, and what follows is never sent.`;
}

/** Why a text is no address of a proxy, or undefined. */
export function proxyProblem(text: string): string | undefined {
  if (!URL.canParse(text) || new URL(text).protocol !== 'http:')
    return '"proxy" is not the address of a proxy, such as http://proxy.example.com:3128.';
  return undefined;
}

/** Why a name cannot be that of a header, or undefined. */
export function headerNameProblem(setting: string, name: string): string | undefined {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return undefined;
  return `"${setting}" is "${name}", which cannot be the name of a header.`;
}

/** Why a text cannot be the value of a header, or undefined. */
export function headerValueProblem(setting: string, value: string): string | undefined {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : `"${setting}" has a character in it that a header cannot have, such as the end of a line.`;
}
