import type { AppMessage } from '../../messages.ts';
import type { FrameConnection, TracedFrame } from '../channel/protocol.ts';
import { soundText, textOf } from './sound-fault.ts';

/** Most bytes of a frame or a message that are kept: as many as a packet of IP has room for. */
export const mostOfFrame = 65_000;

/** Bytes at the beginning of a message that its text is made of. */
const mostOfText = 4000;

/** A message of an app as it goes to the gateway; what is of the app is copied. */
export function tracedMessage(
  { direction, topic, data, text, of, failure }: AppMessage,
  connection: FrameConnection,
): Omit<TracedFrame, 'at'> {
  const bytes = Buffer.from(data.subarray(0, mostOfFrame));
  const meaning = text === undefined ? readable(bytes) : soundText(text);
  return {
    direction,
    size: data.length,
    data: bytes,
    connection,
    topic: soundText(topic),
    ...(meaning !== undefined && { text: meaning }),
    ...(of !== undefined && { of: { driver: textOf(of.driver), group: textOf(of.group) } }),
    ...(failure !== undefined && { failure: soundText(failure) }),
  };
}

/** Data as the beginning of a text; undefined when it is none. A character that is cut in two is no reason. */
function readable(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, mostOfText), {
      stream: true,
    });
    // eslint-disable-next-line no-control-regex -- A text has line ends and tabs, and no other control characters.
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : soundText(text);
  } catch {
    return undefined;
  }
}
