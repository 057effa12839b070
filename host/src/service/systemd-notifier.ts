import { spawn } from 'node:child_process';

/** Reports the state of the gateway to systemd, or to another program that started it and speaks the same protocol. */
export interface SystemdNotifier {
  /** The gateway is up; watchdog messages are sent from now on, if they are wanted. `status` is a sentence for `systemctl status`. */
  ready(status: string): void;
  /** The gateway ends. */
  stopping(): void;
}

/** Watchdog messages that are sent within the timeout of the watchdog. */
const messagesPerTimeout = 3;

/**
 * Undefined where the environment names no socket, as sd_notify(3) and sd_watchdog_enabled(3) define it. The variables are deleted, because they
 * are not for processes that this one starts. Messages go through the program systemd-notify, because Node has no datagrams of local
 * sockets. The watchdog messages are sent by a timer of the event loop on which the whole gateway runs: when that hangs, they stop.
 */
export function systemdNotifier(
  env: NodeJS.ProcessEnv,
  report: (sentence: string) => void,
): SystemdNotifier | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: timeout, WATCHDOG_PID: pid } = env;
  delete env['NOTIFY_SOCKET'];
  delete env['WATCHDOG_USEC'];
  delete env['WATCHDOG_PID'];
  if (socket === undefined || socket === '') return undefined;
  const microseconds = pid === undefined || Number(pid) === process.pid ? Number(timeout ?? 0) : 0;
  let hasFailed = false;
  const send = (...words: string[]): void => {
    const child = spawn('systemd-notify', words, {
      env: { PATH: env['PATH'], NOTIFY_SOCKET: socket },
      stdio: 'ignore',
    });
    const failed = (reason: string): void => {
      if (!hasFailed)
        report(
          `The state of the gateway cannot be reported to systemd: ${reason}. Without watchdog messages it may end the gateway.`,
        );
      hasFailed = true;
    };
    child.on('error', (error) => failed(`systemd-notify cannot be started (${error.message})`));
    child.on('exit', (code) => {
      if (code === 0) hasFailed = false;
      else failed(`systemd-notify ended with exit code ${code ?? 'unknown'}`);
    });
    child.unref();
  };
  let watchdog: NodeJS.Timeout | undefined;
  return {
    ready(status) {
      send('--ready', `--status=${status}`);
      if (microseconds > 0)
        watchdog ??= setInterval(() => send('WATCHDOG=1'), microseconds / 1000 / messagesPerTimeout).unref();
    },
    stopping() {
      clearInterval(watchdog);
      send('STOPPING=1');
    },
  };
}
