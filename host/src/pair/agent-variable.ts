/** The variable that tells a host that it has an agent, and where the deadline stands. */
export const agentVariable = 'TAGWAY_PAIR_AGENT';

/** Where the deadline stands, of a process that has an agent. It is taken out, for the variable is no option. */
export function takeDeadlineFile(env: NodeJS.ProcessEnv): string | undefined {
  const { [agentVariable]: file } = env;
  delete env['TAGWAY_PAIR_AGENT'];
  return file;
}
