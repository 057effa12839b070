// A subscriber to values that are numbers of changes: it notes the change's number and when it came, in milliseconds.
import { listenToChanges } from './change-listener.ts';

listenToChanges((value, at) => [value, Number(at) / 1e6]);
