/** A mistake in the command line, the environment or the configuration file; the message is for the operator. */
export class ConfigError extends Error {}
