import type { FastifyInstance } from 'fastify'
import { HOUR_SECONDS } from '../durations.ts'
import { createLimitedThread } from '../limited-thread.ts'
import type { ProblemKind } from '../problem.ts'
import { hashOf } from './page.ts'
import type { Viewer, ViewerJob } from './viewer-thread.ts'

const PAGE_PATH = '/docs'
const SCRIPT_PATH = `${PAGE_PATH}/js/scalar.js`
const SCRIPT_SECONDS = HOUR_SECONDS

/**
 * A page loads its one script and the API's description from here, and nothing from anywhere else; of scripts inside it only
 * those that it was made with run.
 */
function contentPolicy(page: string): string {
  const inline = [...page.matchAll(INLINE_SCRIPTS)].map(([, script]) => `'${hashOf(script!)}'`)
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...inline].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const INLINE_SCRIPTS = /<script(?: type="[a-z/]+")?>([^<]*)<\/script>/g

type Reference = {
  /** Path of the OpenAPI document that it shows. */
  description: string
  problems: readonly ProblemKind[]
}

/** Serves the API reference at `/docs` and the explanation of every problem code at `/docs/problems`. */
export function serveApiReference(app: FastifyInstance, { description, problems }: Reference): void {
  let viewer: Promise<Viewer> | undefined
  const load = () => {
    viewer ??= loadViewer(description).catch((error: unknown) => {
      // The next visitor has it made again.
      viewer = undefined
      throw error
    })
    return viewer
  }
  const hidden = { schema: { hide: true } }
  const made = { ...hidden, config: { deadlineMs: MAKE_DEADLINE_MS } }
  const headersOf = (page: string) => ({
    'content-security-policy': contentPolicy(page),
    'referrer-policy': 'no-referrer',
  })

  app.get(PAGE_PATH, hidden, async (_request, reply) => reply.redirect(`${PAGE_PATH}/`, 301))
  app.get(`${PAGE_PATH}/`, made, async (_request, reply) => {
    const { page } = await load()
    return reply.headers(headersOf(page)).type('text/html; charset=utf-8').send(page)
  })
  app.get(SCRIPT_PATH, made, async (_request, reply) => {
    const { script } = await load()
    return reply
      .headers({ 'content-encoding': 'gzip', 'cache-control': `public, max-age=${SCRIPT_SECONDS}` })
      .type('text/javascript; charset=utf-8')
      .send(Buffer.from(script))
  })
  app.get(`${PAGE_PATH}/problems`, hidden, async (_request, reply) => {
    const page = problemsPage(problems)
    return reply.headers(headersOf(page)).type('text/html; charset=utf-8').send(page)
  })
}

/** Of the first visit, for which it is made. */
const MAKE_DEADLINE_MS = 15_000

/** A busy machine may take its time; then the thread ends, with the 60 MB that it took. */
const THREAD_LIMITS = { cpuMs: 30_000, wallMs: 60_000, heapMb: 256, idleMs: 1_000, waitingMax: 1 }

/** Made at the first visit: a server without readers never pays for it. */
async function loadViewer(description: string): Promise<Viewer> {
  const thread = createLimitedThread<ViewerJob, Viewer>(new URL('./viewer-thread.ts', import.meta.url), THREAD_LIMITS)
  try {
    const made = await thread.run({ path: PAGE_PATH, scriptPath: SCRIPT_PATH, description })
    if ('outcome' in made) throw new Error(`the viewer of the API was not made: ${made.outcome}`)
    return made
  } finally {
    await thread.close()
  }
}

function problemsPage(problems: readonly ProblemKind[]): string {
  const byStatus = [...problems].sort((a, b) => a.status - b.status)
  const rows = byStatus.map(
    ({ code, status, title }) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Problems</title>
<style>body{font:16px/1.5 system-ui;margin:3rem auto;max-width:50rem}td{padding:.3rem .8rem}tr:target{background:#ffd}</style>
</head><body><h1>Problems</h1>
<p>Every error is an <code>application/problem+json</code> document (RFC 9457). Branch on <code>code</code>; <code>errors</code>
names the fields at fault; quote <code>requestId</code> when you ask for help.</p>
<table>${rows.join('\n')}</table></body></html>
`
}
