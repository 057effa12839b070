import { lowPortFinding } from './low-ports.ts';
import { clockFinding, nodeFinding, permissionFindings } from './machine.ts';
import { dataFolderFinding, diskFinding } from './folder.ts';
import type { Finding } from './finding.ts';
import { portFinding } from './port.ts';
import { nativeFinding, serialFindings } from './serial.ts';

/** The gateway that is to run here. */
export interface ExaminedGateway {
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly buildDate: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** The user of the system that runners become. */
  readonly runnerUser: string | undefined;
  /** Folder of the plugins that come with the gateway. */
  readonly plugins: string;
}

/** Looks at the machine as a gateway with these options would find it, and changes nothing. */
export async function examine({
  version,
  buildDate,
  data,
  host,
  port,
  runnerUser,
  plugins,
}: ExaminedGateway): Promise<Finding[]> {
  return [
    nodeFinding(version),
    ...(await permissionFindings(runnerUser)),
    await dataFolderFinding(data),
    await diskFinding(data),
    await portFinding(host, port, data),
    await lowPortFinding({ runnerUser }),
    await clockFinding(buildDate, data),
    nativeFinding(plugins),
    ...(await serialFindings('/dev')),
  ];
}

/** The findings as lines, and a last one that sums them up. */
export function reportOf(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ about, level, sentence }) => `${level.padEnd(5)}  ${`${about}:`.padEnd(15)} ${sentence}`,
  );
  const bad = findings.filter(({ level }) => level === 'wrong').length;
  const sum =
    bad === 0 ? 'A gateway can run here.' : `${bad === 1 ? 'One thing is' : `${bad} things are`} wrong.`;
  return `${[...lines, sum].join('\n')}\n`;
}
