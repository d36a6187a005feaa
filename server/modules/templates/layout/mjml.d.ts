declare module 'mjml-core' {
  type MjmlOptions = {
    presets: readonly unknown[]
    ignoreIncludes: boolean
    validationLevel: 'soft' | 'strict' | 'skip'
    keepComments: boolean
    fonts: Readonly<Record<string, string>>
  }
  type MjmlError = { line?: number; tagName: string; message: string }
  type Compile = (mjml: string, options: MjmlOptions) => Promise<{ html: string; errors: MjmlError[] }>
  /** The package is CommonJS: what it calls its default is a property of what is imported. */
  const mjmlCore: { default: Compile }
  export default mjmlCore
}

declare module 'mjml-preset-core' {
  const presetCore: unknown
  export default presetCore
}
