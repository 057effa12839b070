/** Frames of DL/T 645-2007, sections 5 and 7. */

export const Control = { READ: 0x11, READ_MORE: 0x12 } as const;

/** Flags in the control byte of an answer. */
export const Flag = { ANSWER: 0x80, ERROR: 0x40, MORE: 0x20 } as const;
/** The bits of the control byte that name the function. */
export const functionMask = 0x1f;

export const head = 0x68;
export const tail = 0x16;
/** Added to every byte of data. */
const shift = 0x33;

/** Bytes that wake the receivers up; they belong to no frame, and an answer may have any number of them, or none. */
const wakeUp = Buffer.of(0xfe, 0xfe, 0xfe, 0xfe);

/** Bytes of a frame beside its data. */
export const overhead = 12;
/** Place of the data in a frame. */
export const dataAt = 10;
/** Most bytes of an answer with the bytes before it. */
export const mostAnswer = wakeUp.length + overhead + 0xff;

/** A meter's address as it is sent: two digits in a byte, the lowest first. */
export function addressBytes(meter: string): Buffer {
  return Buffer.from(meter, 'hex').reverse();
}

/** Sum of `bytes[at, end)` modulo 256. */
export function checksum(bytes: Uint8Array, at: number, end: number): number {
  let sum = 0;
  for (let i = at; i < end; i++) sum += bytes[i]!;
  return sum & 0xff;
}

/** A frame with the bytes that wake the receivers up. */
export function frameOf(address: Uint8Array, control: number, data: Uint8Array): Buffer {
  const frame = Buffer.alloc(wakeUp.length + overhead + data.length);
  const at = wakeUp.length;
  frame.set(wakeUp);
  frame[at] = frame[at + 7] = head;
  frame.set(address, at + 1);
  frame[at + 8] = control;
  frame[at + 9] = data.length;
  for (const [i, byte] of data.entries()) frame[at + dataAt + i] = byte + shift;
  frame[frame.length - 2] = checksum(frame, at, frame.length - 2);
  frame[frame.length - 1] = tail;
  return frame;
}

/** The request to read an item. */
export function readFrame(address: Uint8Array, identifier: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32LE(identifier);
  return frameOf(address, Control.READ, data);
}

/** The request for frame `sequence`, 1 to 255, of what is left of an item. */
export function readMoreFrame(address: Uint8Array, identifier: number, sequence: number): Buffer {
  const data = Buffer.alloc(5);
  data.writeUInt32LE(identifier);
  data[4] = sequence;
  return frameOf(address, Control.READ_MORE, data);
}

/** Takes from `bytes[at, end)`, in place, what was added to data. */
export function unshift(bytes: Uint8Array, at: number, end: number): void {
  for (let i = at; i < end; i++) bytes[i] = bytes[i]! - shift;
}
