import { formatOf, isCommandType } from '@tagway/iec104';
import type { PreviewMessage, Subscription } from '@tagway/sdk';
import type { Params, Settings } from '../settings.ts';
import type { Row } from '../table/row.ts';
import { rowsOf } from '../table/table.ts';

/** Names of the commands, as the standard has them. */
const commandNames = new Map<number, string>([
  [45, 'C_SC_NA_1'],
  [46, 'C_DC_NA_1'],
  [47, 'C_RC_NA_1'],
  [48, 'C_SE_NA_1'],
  [49, 'C_SE_NB_1'],
  [50, 'C_SE_NC_1'],
  [51, 'C_BO_NA_1'],
  [58, 'C_SC_TA_1'],
  [59, 'C_DC_TA_1'],
  [60, 'C_RC_TA_1'],
  [61, 'C_SE_TA_1'],
  [62, 'C_SE_TB_1'],
  [63, 'C_SE_TC_1'],
  [64, 'C_BO_TA_1'],
]);

const head = 'common address,object,type,name,direction,groups,tag,description,unit';

/** The list of the objects of one group for the people of the control centre, as CSV to print or to send. */
export function pointList(
  { ca }: Readonly<Settings>,
  { driver, group, layout, params }: Omit<Subscription<Params>, 'id'>,
): readonly PreviewMessage[] {
  const rows = rowsOf(params?.points ?? '');
  if (typeof rows === 'string' || rows.length === 0) return [];
  const tags = new Map([...layout.columns, ...layout.writeOnly].map((tag) => [tag.name, tag]));
  const lines = [...rows]
    .sort(
      (one, other) => (one.ca ?? ca) - (other.ca ?? ca) || one.object - other.object || one.type - other.type,
    )
    .map((row) => {
      const tag = tags.get(row.tag);
      const isCommand = isCommandType(row.type);
      const name = isCommand ? commandNames.get(row.type) : formatOf(row.type)?.name;
      const cells = [
        String(row.ca ?? ca),
        String(row.object),
        String(row.type),
        name ?? '',
        isCommand ? 'command' : 'report',
        groupsOf(row),
        `${driver}/${group}/${row.tag}`,
        tag?.description ?? '',
        tag?.unit ?? '',
      ];
      return cells.map(quoted).join(',');
    });
  return [{ topic: `${driver}/${group}`, payload: [head, ...lines].join('\n') }];
}

function groupsOf({ counterGroup, groups }: Row): string {
  if (counterGroup > 0) return String(counterGroup);
  return Array.from({ length: 16 }, (_, index) => index + 1)
    .filter((group) => (groups & (1 << group)) !== 0)
    .join(' ');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
