export type Json = Record<string, unknown>;

/** An OpenAPI 3.1 document, as far as we read it ourselves. */
export interface OpenApiDocument extends Json {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, { post: OpenApiOperation }>;
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

export interface OpenApiOperation extends Json {
  operationId: string;
  summary: string;
  tags: string[];
  description: string;
}
