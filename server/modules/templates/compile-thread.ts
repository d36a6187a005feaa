import { parentPort } from 'node:worker_threads'
import type { CompileResult } from './compile-worker.ts'
import { layOut } from './layout/lay-out.ts'
import { planTemplate, type TemplateSource } from './plan-template.ts'

/** The first template takes many times as long as those that follow: nobody's is to be the first. */
const FIRST: TemplateSource = {
  subject: '{{ x }}',
  body: '<mjml><mj-body><mj-section><mj-column><mj-text>{{ x }}</mj-text></mj-column></mj-section></mj-body></mjml>',
  text: null,
}

async function compile(source: TemplateSource): Promise<CompileResult> {
  return planTemplate(source, layOut).catch((error: unknown) => ({
    outcome: 'broken' as const,
    error: error instanceof Error ? `${error.stack}` : String(error),
  }))
}

parentPort?.on('message', (source: TemplateSource) => {
  void compile(source).then((result) => parentPort?.postMessage(result))
})
await compile(FIRST)
parentPort?.postMessage('ready')
