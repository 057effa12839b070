import { ErrorCode } from '@tagway/schemas';
import { faultData, type HostAnswers, type HostRequest } from '@tagway/sdk/internal';
import { Fault } from '@tagway/sdk';
import type { Node } from '../core/model.ts';
import type { RuntimeEvents } from '../core/ports.ts';
import type { Runs } from './runs.ts';
import type { Supervisor } from './supervisor.ts';

/** Answers what a node asks of the gateway: the next number of a sequence; an app also reads and writes tags of drivers, and asks for their states. */
export async function answerApp(
  runner: Supervisor,
  core: RuntimeEvents,
  runs: Runs,
  id: number,
  request: HostRequest,
): Promise<void> {
  try {
    runner.send({ op: 'answer', id, value: await perform(runner, core, runs, request) });
  } catch (error) {
    runner.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
  }
}

type SequenceRequest = Extract<HostRequest, { op: 'sequence' }>;

/** Throws NOT_RUNNING when the plugin of this runner has no such node that runs, as that of a connection test, of which nothing is stored. */
function nodeOf({ plugin }: Supervisor, runs: Runs, { node: id }: SequenceRequest): Node {
  const node = runs.get(id)?.node;
  if (node?.plugin.id === plugin.id) return node;
  throw new Fault(
    ErrorCode.NOT_RUNNING,
    'A number is given to a node that runs alone, and this one does not.',
  );
}

async function perform(
  runner: Supervisor,
  core: RuntimeEvents,
  runs: Runs,
  request: HostRequest,
): Promise<HostAnswers[HostRequest['op']]> {
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
    case 'sequence':
      return core.sequence(nodeOf(runner, runs, request), request.name, request.least);
  }
}
