import { ErrorCode, Fault, isFault, type Value } from '@tagway/sdk';

/** Commands are causes in the journal; all but a comment are events of the machine. */
type CommandName =
  'acknowledge' | 'reset' | 'shelve' | 'unshelve' | 'out of service' | 'in service' | 'comment';

/** What somebody asks of an alarm. */
export interface Command {
  readonly event: CommandName;
  /** Of `shelve`: for how long. Absent with `shelve once`: until the condition returns to normal, or for the longest time. */
  readonly seconds?: number;
  /** What was written with it. */
  readonly comment?: string;
}

const longestComment = 500;

const usage =
  'A command is one of: acknowledge, reset, shelve 3600 (seconds), shelve once, unshelve, out of service, in service, comment; a comment follows after a colon and a space.';

const unknown = new Fault(ErrorCode.VALUE_OUT_OF_RANGE, `This is no command. ${usage}`);
const noComment = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'A comment has a text after a colon and a space, such as "comment: on my way".',
);
const longComment = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  `The comment is too long: ${longestComment} characters are the most.`,
);

const plain: ReadonlyMap<string, Command> = new Map(
  (['acknowledge', 'reset', 'unshelve', 'out of service', 'in service', 'comment'] as const).map((event) => [
    event,
    { event },
  ]),
);

/** The command that a written text is, or why it is none. `longestShelf`: seconds. */
export function parseCommand(value: Value, longestShelf: number): Command | Fault {
  if (typeof value !== 'string') return unknown;
  const colon = value.indexOf(': ');
  if (colon >= 0 && value.length - colon - 2 > longestComment) return longComment;
  const words = (colon < 0 ? value : value.slice(0, colon)).trim();
  const comment = colon < 0 ? '' : value.slice(colon + 2).trim();
  const command = plain.get(words) ?? shelfOf(words, longestShelf);
  if (isFault(command)) return command;
  if (command.event === 'comment' && comment === '') return noComment;
  return comment === '' ? command : { ...command, comment };
}

function shelfOf(words: string, longestShelf: number): Command | Fault {
  if (words === 'shelve once') return { event: 'shelve' };
  const [, digits] = /^shelve (\d{1,9})$/.exec(words) ?? [];
  if (digits === undefined) return unknown;
  const seconds = Number(digits);
  if (seconds > 0 && seconds <= longestShelf) return { event: 'shelve', seconds };
  return new Fault(
    ErrorCode.VALUE_OUT_OF_RANGE,
    `An alarm of this node can be shelved for 1 to ${longestShelf} seconds.`,
  );
}
