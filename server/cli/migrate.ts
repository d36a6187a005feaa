import { Command } from 'commander'
import { saying } from './saying.ts'

export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'bring the schema up to date and exit; start does it by itself. With DATABASE_URL it makes the tables where there are none',
  )
  return saying(
    command,
    async ({ migrated }) => ({
      text: migrated.length === 0 ? 'The schema is up to date.' : `Applied ${migrated.join(', ')}.`,
      json: { applied: migrated },
    }),
    { mayBeEmpty: true },
  )
}
