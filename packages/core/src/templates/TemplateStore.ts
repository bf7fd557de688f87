// EmailTemplateStore and TentTemplateStore: the ports to templates.
import { Context } from "effect"
import type { DocumentStore } from "../documents/DocumentStore.ts"
import type { EmailTemplateTypes, TentTemplateTypes } from "./Template.ts"

export class EmailTemplateStore extends Context.Service<EmailTemplateStore, DocumentStore<EmailTemplateTypes>>()(
  "tentpole/EmailTemplateStore",
) {}

export class TentTemplateStore extends Context.Service<TentTemplateStore, DocumentStore<TentTemplateTypes>>()(
  "tentpole/TentTemplateStore",
) {}
