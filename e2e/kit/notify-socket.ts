import { Child } from './child.ts';

/** Listens as systemd does: a datagram socket in the file system, which Node cannot open. */
const receiver = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
    text, parts, _, _ = receiver.recvmsg(4096, socket.CMSG_LEN(256))
    for level, kind, data in parts:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            for start in range(0, len(data) - len(data) % 4, 4):
                os.close(int.from_bytes(data[start:start + 4], sys.byteorder))
    for line in text.decode().splitlines():
        print('told ' + line, flush=True)
`;

/** What a supervisor of processes hears from those that it starts. */
export class NotifySocket {
  readonly path: string;
  readonly #child: Child;

  private constructor(path: string, child: Child) {
    this.path = path;
    this.#child = child;
  }

  static async listen(path: string): Promise<NotifySocket> {
    return new NotifySocket(path, await Child.start('python3', ['-c', receiver, path], { ready: /^bound$/ }));
  }

  /** The assignments so far, such as `READY=1`. */
  get messages(): string[] {
    return [...this.#child.output.matchAll(/^told (.*)$/gm)].map(([, text = '']) => text);
  }

  /** How often this one came. */
  count(assignment: string): number {
    return this.messages.filter((one) => one === assignment).length;
  }

  async close(): Promise<void> {
    await this.#child.stop();
  }
}
