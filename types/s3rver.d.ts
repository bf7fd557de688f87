// The part of s3rver that tests use; it brings no types.
declare module "s3rver" {
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string }>
    })
    readonly store: {
      listObjects(bucket: string, options: { readonly maxKeys: number }): Promise<unknown>
    }
    run(): Promise<{ readonly address: string; readonly port: number }>
    close(): Promise<void>
  }
}
