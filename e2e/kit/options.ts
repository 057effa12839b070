import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Named extends Options> = ReturnType<typeof parseArgs<{ options: Named }>>['values'];

/** The options of a script. Ends the process with the usage for `--help`, and with a sentence and 2 for an option that there is not. */
export function optionsOf<const Named extends Options>(usage: string, options: Named): Values<Named> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
