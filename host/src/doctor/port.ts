import { checkPort, portAdvice } from '../core/system/listening.ts';
import { systemReason } from '../core/system/system-error.ts';
import { findAddress } from '../data/gateway-address.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether the gateway can listen where it is to, or does so already. */
export async function portFinding(host: string, port: number, data: string): Promise<Finding> {
  const about = 'Port';
  const place = `port ${port} of ${host}`;
  try {
    await checkPort(host, port);
    return ok(
      about,
      port === 0 ? `The system chooses a free port of ${host}.` : `Nobody listens at ${place}.`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const address = await findAddress(data);
    if (code === 'EADDRINUSE' && address !== undefined && (await answers(address.url)))
      return ok(about, `The gateway of this data folder listens at ${address.url}.`);
    return wrong(
      about,
      `The gateway cannot listen at ${place}: ${systemReason(error)}. ${portAdvice(error, port)}`,
    );
  }
}

/** Whether something takes connections there; a certificate of its own is no matter here. */
async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(3000) });
    return reply.status < 600;
  } catch (error) {
    return String((error as Error).cause).includes('certificate');
  }
}
