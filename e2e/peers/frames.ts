import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface FrameProtocol {
  /** Bytes that it takes to know how long a frame is. */
  readonly head: number;
  /** Bytes of the frame that begins at `at`; 0 for what is no frame. */
  length(data: Buffer, at: number): number;
  /** Undefined: none. */
  answer(frame: Buffer): Buffer | undefined;
  /** Whether the connection is closed for this frame. */
  hangsUp?(frame: Buffer): boolean;
}

/** Answers the frames that arrive at a socket, those that came together in one piece. Closes the connection over what is no frame. */
export function serveFrames(
  socket: Socket,
  { head, length, answer, hangsUp }: FrameProtocol,
  send: (replies: Buffer) => void = (replies) => socket.write(replies),
): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const replies: Buffer[] = [];
    let at = 0;
    while (data.length - at >= head) {
      const size = length(data, at);
      if (size === 0) return void socket.destroy();
      if (data.length - at < size) break;
      const frame = data.subarray(at, at + size);
      if (hangsUp?.(frame) === true) return void socket.destroy();
      const reply = answer(frame);
      if (reply !== undefined) replies.push(reply);
      at += size;
    }
    rest = data.subarray(at);
    if (replies.length > 0) send(replies.length === 1 ? (replies[0] as Buffer) : Buffer.concat(replies));
  });
}

/** Makes this process a device on this port, 0 for a free one. It says the port to the process that forked it, and ends with that. */
export function serveDevice(serve: (socket: Socket) => void, port = 0): void {
  process.on('disconnect', () => process.exit());
  const server = createServer(serve).listen(port, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}
