import { spawn } from 'node:child_process';

/** What starts the gateway and wants to hear from it: systemd, or another that speaks its protocol. */
export interface Supervisor {
  /** The gateway is complete; from now on the beat goes on, if one is asked for. `status` is a sentence for those who ask how it is. */
  ready(status: string): void;
  /** The gateway ends. */
  stopping(): void;
}

/** Three beats fit into the time after which one is missed. */
const beatsPerTimeout = 3;

/**
 * The supervisor that the environment names, as sd_notify(3) and sd_watchdog_enabled(3) say, if it does; its variables are taken out, for they are not for what this process starts.
 * Messages go through the program systemd-notify, because Node has no datagrams of local sockets. The beat is a timer of the event
 * loop on which everything of the gateway runs: no message leaves when that stands still.
 */
export function supervisorOf(
  env: NodeJS.ProcessEnv,
  tell: (sentence: string) => void,
): Supervisor | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: timeout, WATCHDOG_PID: pid } = env;
  delete env['NOTIFY_SOCKET'];
  delete env['WATCHDOG_USEC'];
  delete env['WATCHDOG_PID'];
  if (socket === undefined || socket === '') return undefined;
  const microseconds = pid === undefined || Number(pid) === process.pid ? Number(timeout ?? 0) : 0;
  let isOut = false;
  const say = (...words: string[]): void => {
    const child = spawn('systemd-notify', words, {
      env: { PATH: env['PATH'], NOTIFY_SOCKET: socket },
      stdio: 'ignore',
    });
    const failed = (reason: string): void => {
      if (!isOut)
        tell(
          `The supervisor of this process cannot be told how it is: ${reason}. Without a beat it may end the gateway.`,
        );
      isOut = true;
    };
    child.on('error', (error) => failed(`systemd-notify cannot be started (${error.message})`));
    child.on('exit', (code) => {
      if (code === 0) isOut = false;
      else failed(`systemd-notify ended with exit code ${code ?? 'unknown'}`);
    });
    child.unref();
  };
  let beat: NodeJS.Timeout | undefined;
  return {
    ready(status) {
      say('--ready', `--status=${status}`);
      if (microseconds > 0)
        beat ??= setInterval(() => say('WATCHDOG=1'), microseconds / 1000 / beatsPerTimeout).unref();
    },
    stopping() {
      clearInterval(beat);
      say('STOPPING=1');
    },
  };
}
