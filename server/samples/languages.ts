import { addressOf, type Call } from './described-call.ts'
import { inBrackets, indented, JAVASCRIPT, literal, PHP, PYTHON } from './literal.ts'

/** The form of OpenAPI's `x-codeSamples`. */
export type Sample = { lang: string; label: string; source: string }

/** A call in each language. Where Postroom is, and the token, are in the environment. */
export function samplesOf(call: Call): Sample[] {
  return [
    { lang: 'shell', label: 'curl', source: curl(call) },
    { lang: 'typescript', label: 'TypeScript', source: typescript(call) },
    { lang: 'python', label: 'Python', source: python(call) },
    { lang: 'php', label: 'PHP', source: php(call) },
  ]
}

function curl(call: Call): string {
  const { method, body } = call
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$POSTROOM_URL${addressOf(call)}"`,
    '-H "Authorization: Bearer $POSTROOM_TOKEN"',
    ...(method === 'POST' ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${shellText(JSON.stringify(body, null, 2))}'`]),
  ]
  return parts.join(' \\\n  ')
}

const shellText = (text: string) => text.replaceAll("'", "'\\''")

function typescript({ operationId, params, query, body, answer }: Call): string {
  const [family = '', verb = ''] = operationId.split('_')
  const given = [
    ...params.map((param) => literal(param, JAVASCRIPT)),
    ...(body === undefined ? [] : [literal(body, JAVASCRIPT)]),
    ...(query.length === 0 ? [] : [literal(Object.fromEntries(query), JAVASCRIPT)]),
  ]
  const call = `postroom.${family[0]?.toLowerCase()}${family.slice(1)}.${verb}(${given.join(', ')})`
  const use = {
    list: `for await (const item of ${call}) console.log(item)`,
    file: `const file = await ${call}\nconsole.log(await file.text())`,
    nothing: `await ${call}`,
    one: `const answer = await ${call}\nconsole.log(answer)`,
  }
  const lines = [
    "import { env } from 'node:process'",
    "import { createClient } from '@postroom/client'",
    '',
    'const postroom = createClient({ baseUrl: env.POSTROOM_URL!, token: env.POSTROOM_TOKEN! })',
    '',
    use[answer],
    '',
  ]
  return lines.join('\n')
}

function python(call: Call): string {
  const { method, body, answer } = call
  const isPost = method === 'POST'
  const headers = [
    `"Authorization": f"Bearer {os.environ['POSTROOM_TOKEN']}"`,
    ...(isPost ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ]
  const given = [
    `os.environ["POSTROOM_URL"] + ${JSON.stringify(addressOf(call))}`,
    `headers=${inBrackets(headers, ['{', '}'])}`,
    ...(body === undefined ? [] : [`json=${literal(body, PYTHON)}`]),
  ]
  const print = answer === 'nothing' ? '' : answer === 'file' ? '\nprint(answer.text)' : '\nprint(answer.json())'
  return `import os${isPost ? '\nimport uuid' : ''}

import requests

answer = requests.${method.toLowerCase()}(
${given.map((one) => `${indented(one)},`).join('\n')}
)
answer.raise_for_status()${print}
`
}

function php(call: Call): string {
  const { method, body, answer } = call
  const headers = [
    "'Authorization: Bearer ' . getenv('POSTROOM_TOKEN')",
    ...(method === 'POST' ? ["'Idempotency-Key: ' . bin2hex(random_bytes(16))"] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ]
  const http = [
    `'method' => '${method}',`,
    `'header' => ${inBrackets(headers, ['[', ']'])},`,
    ...(body === undefined ? [] : [`'content' => json_encode(${literal(body, PHP)}),`]),
  ]
  const shown = {
    one: 'print_r(json_decode($answer, true));',
    list: 'print_r(json_decode($answer, true));',
    file: 'echo $answer;',
    nothing: '',
  }
  return `<?php
$context = stream_context_create(['http' => [
${http.map((line) => indented(line)).join('\n')}
]]);
$answer = file_get_contents(getenv('POSTROOM_URL') . ${literal(addressOf(call), PHP)}, false, $context);
${shown[answer]}
`.trimEnd()
}
