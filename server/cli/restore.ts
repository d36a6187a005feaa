import { Command } from 'commander'
import { holdRestored, restoreBackup } from '../backups.ts'
import { tellingProgress } from './copy-progress.ts'
import { tell } from './said.ts'
import { withPlainDatabase } from './with-plain-database.ts'

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'load a file of "backup" into an empty database: that of DATABASE_URL, or a new embedded one in DATA_DIR',
    )
    .argument('<file>', 'the file')
    .option('--json', 'print JSON, for programs')
    .action((path: string, { json = false }: { json?: boolean }) =>
      withPlainDatabase({ existing: false }, async ({ config, database, keys }) => {
        const { header, rows } = await restoreBackup(database, { path, keys, onProgress: tellingProgress('loaded') })
        const { held } = await holdRestored(config, database)
        const text =
          `${rows} rows are restored, as of ${header.madeAt}.\n` +
          'Held: nothing is sent or delivered until you have looked and say "./postroom restored --confirm".'
        tell({ text, json: { file: path, madeAt: header.madeAt, rows, held } }, json)
      }),
    )
}
