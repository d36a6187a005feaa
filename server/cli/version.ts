import { Command } from 'commander'
import { commitOf, VERSION } from '../version.ts'
import { tell } from './said.ts'

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version')
    .option('--json', 'print JSON, for programs')
    .action(({ json }: { json?: true }) =>
      tell({ text: `postroom ${VERSION}`, json: { version: VERSION, commit: commitOf() } }, json === true),
    )
}
