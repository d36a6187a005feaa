import { type DescribedApi, describedCall } from './described-call.ts'
import { samplesOf } from './languages.ts'

/** The description with a sample of each operation in each language, for those who read it. */
export function withSamples(api: DescribedApi): DescribedApi {
  const paths = Object.entries(api.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, 'x-codeSamples': samplesOf(describedCall(method, path, operation)) },
      ]),
    ),
  ])
  return { ...api, paths: Object.fromEntries(paths) }
}

/** The text of a description with them, made when it is first asked for. */
export function documentWithSamples(description: () => string): () => string {
  let text: string | undefined
  return () => {
    text ??= JSON.stringify(withSamples(JSON.parse(description())))
    return text
  }
}
