import { ErrorCode } from '@tagway/schemas';
import { faultData, type HostAnswers, type HostRequest } from '@tagway/sdk/internal';
import type { RuntimeEvents } from '../core/ports.ts';
import type { Supervisor } from './supervisor.ts';

/** Answers what an app asks of the gateway: reading and writing tags of drivers, and the drivers' states. */
export async function answerApp(
  runner: Supervisor,
  core: RuntimeEvents,
  id: number,
  request: HostRequest,
): Promise<void> {
  try {
    runner.send({ op: 'answer', id, value: await perform(core, request) });
  } catch (error) {
    runner.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
  }
}

async function perform(core: RuntimeEvents, request: HostRequest): Promise<HostAnswers[HostRequest['op']]> {
  switch (request.op) {
    case 'read': {
      // Who asks wants to know all values, whatever has been reported before.
      const { due: _due, ...sample } = (await core.read(request.driver, request.group, request.sync)).sample;
      return sample;
    }
    case 'write': {
      const faults = await core.write(request.writes, request.request, request.app);
      return faults.flatMap((fault, index) =>
        fault ? [[index, faultData(fault, ErrorCode.WRITE_FAILED)] as const] : [],
      );
    }
    case 'drivers':
      return core.drivers();
  }
}
