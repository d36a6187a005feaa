import { Command } from 'commander'
import { saying } from './saying.ts'

export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'bring the schema up to date and exit; start does it by itself. With DATABASE_URL it makes the tables where there are none',
  )
  return saying(
    command,
    async ({ migrated }) => ({
      text: told(migrated),
      json: { applied: migrated },
    }),
    { mayBeEmpty: true },
  )
}

/** A line, also where there was nothing and all of them ran. */
function told(migrated: readonly string[]): string {
  const [first, ...others] = migrated
  if (first === undefined) return 'The schema is up to date.'
  if (others.length === 0) return `Applied ${first}.`
  return `Applied ${migrated.length} migrations, ${first} to ${others.at(-1)}.`
}
