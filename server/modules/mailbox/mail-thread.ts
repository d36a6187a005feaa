import { parentPort } from 'node:worker_threads'
import { type MailJob, type MailResult, openMail } from './open-mail.ts'

parentPort?.on('message', (job: MailJob) => {
  void openMail(job)
    .catch((error: unknown): MailResult => ({ outcome: 'failed', message: String(error) }))
    .then((result) => parentPort?.postMessage(result))
})
parentPort?.postMessage('ready')
