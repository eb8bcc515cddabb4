// x⁺ = ∇Φ(h): from the field of a neuron to its state.

const LAYER_NORM_EPSILON = 1e-5;

const activation = {
  identity: (field) => field,
  unit,
  sign: (field) => field.map(Math.sign),
  tanh: (field) => field.map(Math.tanh),

  /** (h − mean h) / √(var h + ε) */
  layer_norm(field) {
    const centred = field.map((x) => x - mean(field));
    const deviation = Math.sqrt(dot(centred, centred) / field.length + LAYER_NORM_EPSILON);
    return scaled(centred, 1 / deviation);
  },
};
