import { Command } from 'commander'
import { withDatabase } from './with-database.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database schema up to date and exit (start does it by itself)')
    .action(() =>
      withDatabase(async ({ migrated }) => {
        console.log(migrated.length === 0 ? 'The schema is up to date.' : `Applied ${migrated.join(', ')}.`)
      }),
    )
}
