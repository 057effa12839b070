import { hostFlags } from '../core/system/v8-flags.ts';

/** Facts of the machine that the unit depends on. */
export interface UnitFacts {
  /** Absolute paths of the Node that runs the gateway and of its main module. */
  readonly node: string;
  readonly main: string;
  /** The group that may use serial lines, if this machine has one. */
  readonly serialGroup: string | undefined;
  /** The gateway is one of a pair: it may keep a gate in the kernel for the runners of its drivers, and divide its control group. */
  readonly isPaired: boolean;
  /** Plugins run as another user, so root runs the gateway, with the rights that this takes. */
  readonly hasRunnerUser: boolean;
}

export const serviceName = 'tagway';
/** Where the service keeps everything: the `StateDirectory` of the unit. */
export const stateFolder = '/var/lib/tagway';
/** Where its options stand, and variables that systemd alone reads. */
export const configFile = '/etc/tagway/config.json';
export const environmentFile = '/etc/tagway/environment';

/** What root needs to start, watch and end processes of another user, and to give that user its folders. */
const rootRights =
  'CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_KILL CAP_SETGID CAP_SETUID CAP_SYS_PTRACE'.split(' ');

/** Seconds without a beat after which systemd kills the gateway. */
const watchdogSeconds = 30;

/** A word of `ExecStart`, https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines. */
function word(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

/**
 * The unit of systemd. A gateway that stops answering systemd is killed at once and started again: its data folder stands every kill, and
 * what its plugins started is in its control group. The memory of Node cannot be write-protected, because V8 compiles at run time;
 * devices and users of the machine stay visible, because serial lines are devices that a group may use.
 */
export function unitOf(facts: UnitFacts): string {
  const { node, main, serialGroup, isPaired, hasRunnerUser } = facts;
  const capabilities = ['CAP_NET_BIND_SERVICE', ...(isPaired ? ['CAP_NET_ADMIN'] : [])].join(' ');
  const bounds = [...(hasRunnerUser ? rootRights : []), capabilities].join(' ').trim();
  const user = hasRunnerUser ? 'root' : serviceName;
  return `# Written by "tagway service install". Changes belong into "systemctl edit ${serviceName}", which outlives the next install.
[Unit]
Description=Tagway industrial edge gateway
Wants=network-online.target
After=network-online.target time-sync.target
# A gateway that nobody attends is tried again as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=notify
# The beat comes through systemd-notify, which is a process of its own.
NotifyAccess=all
# Flags of V8 for less memory. If another Node refuses one of them, install the service again.
ExecStart=${word(node)} ${hostFlags.join(' ')} ${word(main)} --config ${configFile} --data ${stateFolder}
EnvironmentFile=-${environmentFile}
Restart=always
RestartSec=5
TimeoutStartSec=120
TimeoutStopSec=20
WatchdogSec=${watchdogSeconds}
WatchdogSignal=SIGKILL
# The gateway ends its plugins itself; what is left is killed with it.
KillMode=mixed

User=${user}
Group=${user}
StateDirectory=${serviceName}
StateDirectoryMode=0700
UMask=0077
LimitNOFILE=65536

# Serial lines, and no other device.
DevicePolicy=closed
DeviceAllow=char-tty[A-Z]* rw
DeviceAllow=char-ttymxc rw
${serialGroup === undefined ? '' : `SupplementaryGroups=${serialGroup}\n`}
NoNewPrivileges=yes
# Ports below 1024, of the API and of the plugins that take connections. The other plugins have no rights.
CapabilityBoundingSet=${bounds}
AmbientCapabilities=${capabilities}
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
ProtectClock=yes
ProtectHostname=yes
${isPaired ? '# The runners of drivers are a control group of their own, which the gate in the kernel knows.\nDelegate=yes' : 'ProtectControlGroups=yes'}
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
KeyringMode=private
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# With it setpriv takes the rights from a plugin before it starts.
SystemCallFilter=capset
${hasRunnerUser ? 'SystemCallFilter=@setuid @chown\n' : ''}SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** The user of the service and the one of its plugins, for systemd-sysusers. */
export function sysusersOf({ serialGroup, runnerUser }: SysusersFacts): string {
  const lines = [`# The user of the Tagway gateway.`, `u ${serviceName} - "Tagway gateway" ${stateFolder}`];
  if (runnerUser !== undefined) {
    lines.push('# The user of its plugins.', `u ${runnerUser} - "Plugins of Tagway"`);
    if (serialGroup !== undefined) lines.push(`m ${runnerUser} ${serialGroup}`);
  }
  return `${lines.join('\n')}\n`;
}

export interface SysusersFacts {
  readonly serialGroup: string | undefined;
  readonly runnerUser: string | undefined;
}
