/** What was pulled last and applied. */
export interface AppliedSource {
  /** The id of a commit, or the hash of the files of a folder. */
  readonly commit: string;
  /** When it was applied, in milliseconds since the epoch. */
  readonly time: number;
  /** Of a commit: when it was made, by whom, and its first line. */
  readonly committed?: number | undefined;
  readonly author?: string | undefined;
  readonly subject?: string | undefined;
}

/** Where the configuration is from, and how the gateway is beside it. */
export interface SourceStatus {
  /** Without what is secret. */
  readonly url: string;
  readonly applied: AppliedSource | undefined;
  /** When the source was last there and good, in milliseconds since the epoch. */
  readonly lookedAt: number | undefined;
  readonly drift: {
    readonly mode: 'keep' | 'report' | 'revert';
    /** In how many things the gateway is not as the source says; undefined while that is not known. */
    readonly differences: number | undefined;
    /** In milliseconds since the epoch. */
    readonly since: number | undefined;
  };
  /** Why what is there now is not applied. */
  readonly problem:
    { readonly message: string; readonly since: number; readonly commit?: string } | undefined;
}

/** A call of a webhook. */
export interface Hook {
  /** `sha256=` and the HMAC of the body in hexadecimal. */
  readonly signature: string | undefined;
  /** The secret itself, which counts where there is no signature. */
  readonly token: string | undefined;
  readonly body: Buffer;
}

/** The source that the configuration of this gateway is pulled from. */
export interface ConfigSource {
  status(): SourceStatus;
  /** Nobody may change by hand what the source has. */
  readonly isLocking: boolean;
  /**
   * What has to change in the files of the source so that they say what this gateway is, as a patch; empty where they say it. Rejects with
   * CONFIG_NOT_COMPARED.
   */
  patch(): Promise<string>;
  /** Looks soon. Rejects with WEBHOOK_REFUSED for a call that does not know the secret. */
  called(hook: Hook): Promise<void>;
}
