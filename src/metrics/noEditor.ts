/**
 * Stands in for the two editors that `PrometheusDatasource` imports statically (see `webpack.config.ts`). Nothing
 * renders them: `annotationSupport` and `VariableSupport` bring their own, which load Prometheus' when they are shown.
 */
const noEditor = () => null;

export { noEditor as AnnotationQueryEditor, noEditor as PromVariableQueryEditor };
