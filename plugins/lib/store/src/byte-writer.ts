/** Bytes that grow as they are written, used again and again. */
export class ByteWriter {
  buffer = Buffer.allocUnsafeSlow(1 << 16);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Makes room for as many bytes more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, needed));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.reserve(length);
    const into = this.buffer;
    let at = this.length;
    // For a few bytes a loop is faster than a call of `set`.
    if (length < 64) for (let index = 0; index < length; index++) into[at++] = bytes[index]!;
    else into.set(bytes, at);
    this.length += length;
  }

  byte(byte: number): void {
    if (this.length === this.buffer.length) this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  ascii(text: string): void {
    this.reserve(text.length);
    for (let index = 0; index < text.length; index++)
      this.buffer[this.length + index] = text.charCodeAt(index);
    this.length += text.length;
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  /** A whole number of up to 2^53 in decimal. */
  natural(number: number): void {
    this.ascii(String(number));
  }

  /** What was written, in a buffer of its own. */
  copy(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }
}
