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
      const { layout, sample } = await core.read(request.node, request.group, request.sync);
      return { layout, sample };
    }
    case 'write':
      await core.write(request.node, request.group, request.tags);
      return undefined;
    case 'drivers':
      return core.drivers();
  }
}
