import type { Readable } from 'node:stream';

/** A page of what happened in a time. */
export interface PageQuery {
  /** Seconds since the epoch; `until` itself is not part of the time. */
  readonly since: number;
  readonly until: number;
  /** From 0 on. */
  readonly page: number;
  /** Lines or entries of a page. */
  readonly pageSize: number;
}

/** Which lines of the log are wanted. */
export interface LogQuery extends PageQuery {
  /** The lowest level; trace is all. */
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /** Whose lines are wanted, and what is to be in them; empty: all. */
  readonly node?: string;
  readonly text?: string;
}

export interface LogPage {
  /** Oldest first. */
  readonly rows: readonly string[];
  readonly pageCount: number;
}

/** An entry of a folder. */
export interface FileEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  readonly modified: number;
}

/** What is known of the machine and of this process. */
export interface SystemFacts {
  readonly os: {
    readonly version: string;
    readonly kernel: string;
    readonly machine: string;
    readonly clib: string;
  };
  /** Of all cores together, 0 to 100, since the facts were asked for the last time. */
  readonly cpuPercent: number;
  readonly cpuCores: number;
  /** Bytes. */
  readonly memory: {
    readonly total: number;
    readonly used: number;
    readonly cache: number;
    readonly own: number;
  };
  /** Bytes of the file system that holds the data folder. */
  readonly disk: { readonly size: number; readonly used: number; readonly available: number };
  /** Of this process. */
  readonly uptimeSeconds: number;
}

/** What the operations of the API need of the machine that the gateway runs on. */
export interface Machine {
  /** Rejects with BUSY when very many ask at once. */
  queryLog(query: LogQuery): Promise<LogPage>;
  /** The files of the log, the newest first. */
  logFiles(): Promise<readonly Pick<FileEntry, 'name' | 'size'>[]>;
  /** What a file of the log holds. Rejects with FILE_NOT_FOUND when the log has no file of this name. */
  logFile(name: string): Promise<Readable>;
  /** The log folder as a compressed archive. Rejects with FILE_NOT_FOUND without a folder, COMMAND_FAILED when it cannot be read. */
  archiveLog(): Promise<Readable>;
  /** Rejects with FILE_NOT_FOUND when nothing has this path, FILE_OPEN_FAILED when it may not be listed. */
  listFolder(path: string): Promise<readonly FileEntry[]>;
  facts(): Promise<SystemFacts>;
  /**
   * The project of a new plugin as a gzipped tar archive. Rejects with PARAM_INVALID for a name that cannot be one, FILE_NOT_FOUND
   * when the gateway carries no kit.
   */
  pluginProject(kind: 'driver' | 'app', name: string): Promise<Buffer>;
}
