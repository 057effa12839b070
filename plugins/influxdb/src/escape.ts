/**
 * Line protocol escapes with a backslash, but has no escape for the backslash itself outside of texts: at the end of a name, or before what
 * would be escaped, it would change the meaning of the next character. Such a backslash becomes `_`, as do control characters, among them the
 * end of a line, for which there is no escape either.
 */
function expressible(name: string): string {
  // eslint-disable-next-line no-control-regex -- They are what is replaced.
  return name.replace(/[\u0000-\u001f\u007f]|\\(?=[\\,= "]|$)/g, '_');
}

/** The name of a measurement. */
export function measurement(name: string): string {
  // A line that begins with "#" is a comment.
  return expressible(name).replace(/^#/, '_').replace(/[, ]/g, '\\$&') || '_';
}

/** The name of a tag or a field. */
export function key(name: string): string {
  // It is the name of the time itself, and refused as another.
  return (
    expressible(name)
      .replace(/[,= ]/g, '\\$&')
      .replace(/^time$/, 'time_') || '_'
  );
}

/** The value of a tag; empty when there is none, and the tag is left out then. */
export function tagValue(value: string): string {
  return expressible(value).replace(/[,= ]/g, '\\$&');
}

/** The value of a field that is a text. */
export function text(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
