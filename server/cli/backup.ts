import { Command } from 'commander'
import { type CheckedBackup, checkBackup, takeBackup } from '../backups.ts'
import { readConfig } from '../config.ts'
import { sizeText, tellingProgress } from './copy-progress.ts'
import { type Said, tell } from './said.ts'
import { requireKeys, withPlainDatabase } from './with-plain-database.ts'

type Options = { check?: true; json?: boolean }

export function backupCommand(): Command {
  return new Command('backup')
    .description('write a copy of the database, as it is at one moment, into a file; the service may go on meanwhile')
    .argument('<file>', 'the file to write; it is there when it is whole')
    .option('--check', 'only read a file that is there: whole, unaltered, and of this encryption key')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nThe encryption key is not in it: keep that elsewhere.')
    .action(async (path: string, { check, json = false }: Options) => {
      if (check) return tell(saidOf(await checkBackup(path, await requireKeys(readConfig())), path), json)
      await withPlainDatabase({ existing: true }, async ({ database, keys }) => {
        const { unnoted, ...taken } = await takeBackup(database, { path, keys, onProgress: tellingProgress('copied') })
        tell(saidOf(taken, path), json)
        if (unnoted !== null)
          console.error(`The database could not note it, so that the page System does not show it: ${unnoted}`)
      })
    })
}

function saidOf({ header, tables, rows, fileBytes }: CheckedBackup, path: string): Said {
  const { madeAt, postroom } = header
  const text =
    `${path}: ${rows} rows of ${tables} tables as of ${madeAt}, ${sizeText(fileBytes)}.\n` +
    'Read to its end: it is whole. Keep the encryption key elsewhere; without it nobody can restore this.'
  return { text, json: { file: path, madeAt, postroom, tables, rows, fileBytes } }
}
