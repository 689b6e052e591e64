//! Tensors as JSON: dtype, shape and the elements in column-major order; complex numbers as pairs, and numbers that JSON
//! does not have as strings.

use num_complex::{Complex, Complex32, Complex64};
use serde_json::{Number, Value, json};
use tenferro_ad::{DType, Tensor};

fn number(x: f64) -> Value {
    let special = match () {
        () if x.is_nan() => "nan",
        () if x == f64::INFINITY => "inf",
        () if x == f64::NEG_INFINITY => "-inf",
        () => return Number::from_f64(x).map_or(Value::Null, Value::Number),
    };
    json!(special)
}

fn float(x: &Value) -> f64 {
    match x.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        _ => x.as_f64().expect("a number"),
    }
}

fn complex(z: &Value) -> Complex64 {
    Complex::new(float(&z[0]), float(&z[1]))
}

fn pair(re: f64, im: f64) -> Value {
    json!([number(re), number(im)])
}

/// The shortest decimal number that is this single-precision number again.
fn single(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::NAN)
}

pub fn dtype(name: &str) -> DType {
    match name {
        "float32" => DType::F32,
        "float64" => DType::F64,
        "complex64" => DType::C32,
        "complex128" => DType::C64,
        "int32" => DType::I32,
        "int64" => DType::I64,
        "bool" => DType::Bool,
        other => panic!("no dtype {other}"),
    }
}

pub fn read(stored: &Value) -> Tensor {
    let shape: Vec<usize> =
        stored["shape"].as_array().expect("a shape").iter().map(|n| n.as_u64().expect("an extent") as usize).collect();
    let data = stored["data"].as_array().expect("elements");
    let whole = |x: &Value| x.as_i64().expect("an integer");
    let made = match dtype(stored["dtype"].as_str().expect("a dtype")) {
        DType::F32 => Tensor::from_vec_col_major(shape, data.iter().map(|x| float(x) as f32).collect()),
        DType::F64 => Tensor::from_vec_col_major(shape, data.iter().map(float).collect()),
        DType::C32 => {
            let narrow = |z: Complex64| Complex32::new(z.re as f32, z.im as f32);
            Tensor::from_vec_col_major(shape, data.iter().map(|z| narrow(complex(z))).collect())
        }
        DType::C64 => Tensor::from_vec_col_major(shape, data.iter().map(complex).collect()),
        DType::I32 => Tensor::from_vec_col_major(shape, data.iter().map(|x| whole(x) as i32).collect()),
        DType::I64 => Tensor::from_vec_col_major(shape, data.iter().map(whole).collect()),
        _ => Tensor::from_vec_col_major(shape, data.iter().map(|x| x.as_bool().expect("a truth value")).collect()),
    };
    made.expect("as many elements as the shape says")
}

pub fn write(tensor: &Tensor) -> Value {
    let (name, data): (_, Vec<Value>) = match tensor.dtype() {
        DType::F32 => ("float32", tensor.as_slice::<f32>().expect("f32").iter().map(|&x| number(single(x))).collect()),
        DType::F64 => ("float64", tensor.as_slice::<f64>().expect("f64").iter().map(|&x| number(x)).collect()),
        DType::C32 => {
            let list = tensor.as_slice::<Complex32>().expect("c32");
            ("complex64", list.iter().map(|z| pair(single(z.re), single(z.im))).collect())
        }
        DType::C64 => {
            let list = tensor.as_slice::<Complex64>().expect("c64");
            ("complex128", list.iter().map(|z| pair(z.re, z.im)).collect())
        }
        DType::I32 => ("int32", tensor.as_slice::<i32>().expect("i32").iter().map(|&x| json!(x)).collect()),
        DType::I64 => ("int64", tensor.as_slice::<i64>().expect("i64").iter().map(|&x| json!(x)).collect()),
        DType::Bool => ("bool", tensor.as_slice::<bool>().expect("bool").iter().map(|&x| json!(x)).collect()),
        other => panic!("no name for {other:?}"),
    };
    json!({ "dtype": name, "shape": tensor.shape(), "data": data })
}

/// Some numbers between -1.25 and 1.25 with few digits; `salt` makes them differ.
pub fn wave(dtype: DType, shape: &[usize], salt: usize) -> Tensor {
    let count: usize = shape.iter().product();
    let at = |k: usize| ((k * 23 + salt * 17) % 41) as f64 / 16.0 - 1.25;
    let shape = shape.to_vec();
    let made = match dtype {
        DType::F32 => Tensor::from_vec_col_major(shape, (0..count).map(|k| at(k) as f32).collect()),
        DType::C32 => {
            let z = |k| Complex32::new(at(k) as f32, at(k + 7) as f32);
            Tensor::from_vec_col_major(shape, (0..count).map(z).collect())
        }
        DType::C64 => Tensor::from_vec_col_major(shape, (0..count).map(|k| Complex64::new(at(k), at(k + 7))).collect()),
        _ => Tensor::from_vec_col_major(shape, (0..count).map(at).collect()),
    };
    made.expect("as many elements as the shape says")
}
