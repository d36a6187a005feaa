import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { claim } from './claim.ts'
import { enqueue } from './enqueue.ts'
import { createSupervisor, migrateJobs } from './schema.ts'
import { jobRows, jobsDatabase, QUEUE } from './testing.ts'

const { pool } = await jobsDatabase()
const supervisor = createSupervisor(pool)
const errors: unknown[] = []
supervisor.on('error', (error) => errors.push(error))
before(async () => {
  await supervisor.start()
  return () => supervisor.stop({ graceful: false })
})
beforeEach(async () => {
  await pool.query('delete from jobs.job; update jobs.queue set maintain_on = null, monitor_claim_on = null')
})
const supervise = async () => {
  await supervisor.supervise()
  assert.deepEqual(errors, [])
}
