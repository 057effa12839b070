import { ErrorCode } from '@tagway/schemas';
import type { Driver, Watch } from '../../driver.ts';
import { Fault, isFault } from '../../fault.ts';
import type { SampleData } from '../channel/protocol.ts';
import type { SampleOutlet } from '../samples/sample-outlet.ts';
import type { Calls } from './calls.ts';
import { deadlines, within } from './deadline.ts';
import type { FaultLog } from './fault-log.ts';
import type { NodeContext } from './node-context.ts';
import { soundFault } from './sound-fault.ts';

/** Shared by the groups of one driver node. */
export interface GroupSurroundings {
  readonly context: NodeContext;
  readonly outlet: SampleOutlet<SampleData>;
  readonly calls: Calls;
  readonly faultLog: FaultLog;
  /** The running driver, if there is one. */
  readonly driver: () => Driver | undefined;
  /** The fault of tags while the link is reported as down. */
  readonly down: () => Fault | undefined;
  /** Called for every call that failed. */
  readonly failed: (error: unknown) => void;
  /** The driver has inputs. */
  readonly hasInputs: boolean;
}

const readFailed = new Fault(
  ErrorCode.READ_FAILED,
  'The driver failed while it read; the log has the reason.',
);

export const notReported = new Fault(ErrorCode.READ_FAILED, 'The driver gave no value for this tag.');

/** The fault of the points that a read which failed as a whole has given no value. */
export function faultOfRead(error: unknown): Fault {
  return isFault(error) ? soundFault(error, ErrorCode.READ_FAILED) : readFailed;
}

/** Disposes of the watch of a driver, for which it has two seconds. */
export async function endWatch(watch: Watch | undefined, { clock, log }: NodeContext): Promise<void> {
  const ending = async (): Promise<void> => watch?.[Symbol.asyncDispose]();
  try {
    await within(clock, ending(), 'the end of a watch', deadlines.unwatch);
  } catch (error) {
    log.warn('The driver failed to end a watch; it goes on without.', { error });
  }
}
